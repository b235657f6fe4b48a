// The live stream of one screening's seats: one connection per tab, closed while the tab is hidden. A gap is
// closed by one snapshot. States never go back to an older version.
export function followSeats({ eventsURL, seatsURL, version, onSeats, onConnected }) {
  let source = null;
  let known = version;
  let loading = null;

  function loadSnapshot() {
    loading ??= fetch(seatsURL, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .then((snapshot) => {
        known = snapshot.version;
        onSeats(snapshot.seats || [], snapshot);
      })
      .catch(() => {}) // the next event or the next visit asks again
      .finally(() => { loading = null; });
    return loading;
  }

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(eventsURL);
    source.addEventListener("open", () => onConnected(true));
    source.addEventListener("error", () => {
      onConnected(false);
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 5000);
      }
    });
    source.addEventListener("seats", (event) => {
      const message = JSON.parse(event.data);
      if (message.version <= known) return;
      known = message.version;
      onSeats(message.changes || [], message);
    });
    source.addEventListener("reload", loadSnapshot);
  }

  function close() {
    if (!source) return;
    source.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      close();
      return;
    }
    loadSnapshot().then(open);
  });
  addEventListener("pagehide", close);
  open();
}
