// Before the first paint, so that nobody who chose dark is shown light for a moment.
document.documentElement.dataset.theme = localStorage.getItem("tandem.theme") || "system";
