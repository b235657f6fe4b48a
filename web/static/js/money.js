// Amounts of minor units in the page's language and the cinema's currency.
export function moneyFormat(lang, currency) {
  const format = new Intl.NumberFormat(lang, { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  const scale = 10 ** format.resolvedOptions().maximumFractionDigits;
  return (minor) => format.format(minor / scale);
}

// once lets a form be sent one time only; the button says that something happens.
export function once(form, sending) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "1";
    for (const button of form.querySelectorAll('button[type="submit"]')) {
      button.setAttribute("aria-disabled", "true");
      if (sending) button.textContent = sending;
    }
  });
  // A page that comes back from the browser's memory must work again.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}
