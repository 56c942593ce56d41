// Tables as CSV.

/** Return a table as CSV (RFC 4180). Texts that a spreadsheet would run as formulas are escaped. */
export function toCsv({ head, rows }) {
  const cell = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
