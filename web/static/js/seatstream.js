// The live stream of one screening's seats, closed while the tab is hidden. A gap is closed by a snapshot: what
// the stream says meanwhile is applied after it, in order of version.
//
// Over HTTP/1.1 a browser opens six connections to a host, for all its tabs together: with a stream in each, the
// seventh tab would never load. So two tabs at most have a stream, and the others ask for the seats every two
// seconds; whoever asks next takes over a stream that ended. Where there are no locks (plain HTTP) every tab asks.
const slots = ["usher-seats-1", "usher-seats-2"];
const round = 2000;
const patience = 5000;

// takeSlot answers with what gives the slot back, or with null when there is none.
async function takeSlot() {
  for (const name of navigator.locks ? slots : []) {
    const release = await new Promise((answer) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? new Promise(answer) : answer(null))).catch(() => answer(null));
    });
    if (release) return release;
  }
  return null;
}

export function followSeats({ eventsURL, seatsURL, version, onSeats, onConnected }) {
  let source = null;
  let release = null;
  let turn = 0; // raised when we stop following: what was begun before then is void
  let timer = 0;
  let known = version;
  let epoch;
  let loading = null;
  let again = false; // something happened that the snapshot on its way may not know
  let queued = []; // what the stream said while a snapshot was on its way

  function loadSnapshot() {
    if (loading) {
      again = true;
      return loading;
    }
    loading = load().finally(() => {
      loading = null;
      if (again) {
        again = false;
        loadSnapshot();
      }
    });
    return loading;
  }

  async function load() {
    try {
      const answer = await fetch(seatsURL, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const snapshot = await answer.json();
      const older = snapshot.epoch === epoch && snapshot.version < known;
      const news = snapshot.version !== known || snapshot.epoch !== epoch;
      if (!older) {
        ({ version: known, epoch } = snapshot);
        if (news) onSeats(snapshot.seats || [], snapshot);
      }
      const missed = queued;
      queued = [];
      for (const message of missed) take(message);
      if (!source) onConnected(true);
    } catch {
      queued = [];
      onConnected(false);
      if (source) setTimeout(loadSnapshot, round); // the map has a gap until a snapshot arrives
    }
  }

  // take applies the next change; one out of order means that something was missed.
  function take(message) {
    if (message.epoch !== epoch) {
      if (!(message.epoch < epoch)) loadSnapshot();
      return;
    }
    if (message.version <= known) return;
    if (message.version !== known + 1) {
      loadSnapshot();
      return;
    }
    known = message.version;
    onSeats(message.changes || [], message);
  }

  async function follow() {
    clearTimeout(timer);
    if (source || document.hidden) return;
    const mine = ++turn;
    const slot = await takeSlot();
    if (mine !== turn) {
      slot?.();
      return;
    }
    if (slot) {
      release = slot;
      open();
      return;
    }
    await loadSnapshot();
    if (mine === turn) timer = setTimeout(follow, round);
  }

  function open() {
    source = new EventSource(eventsURL);
    source.addEventListener("open", () => onConnected(true)); // it begins with a reload
    source.addEventListener("error", () => {
      onConnected(false);
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        timer = setTimeout(follow, patience);
      }
    });
    source.addEventListener("seats", (event) => {
      const message = { ...JSON.parse(event.data), epoch: Number(event.lastEventId.split("-")[0]) };
      if (loading) queued.push(message);
      else take(message);
    });
    source.addEventListener("reload", loadSnapshot);
  }

  function close() {
    turn++;
    clearTimeout(timer);
    source?.close();
    release?.();
    source = release = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else loadSnapshot().then(follow);
  });
  addEventListener("pagehide", close);
  follow();
}
