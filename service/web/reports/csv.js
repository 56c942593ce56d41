// Tables as CSV.

/** Write a table as CSV (RFC 4180); a text that a spreadsheet would take for a formula is made harmless. */
export function toCsv({ head, rows }) {
  const cell = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
