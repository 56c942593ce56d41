// Runs before the first paint, so that a dark theme does not flash light.
document.documentElement.dataset.theme = localStorage.getItem("tandem.theme") || "system";
