// How texts are folded before they are compared. The service reads the same table, so the object is written as JSON.

export default {
  "letters": [
    "A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02af\\u1d00-\\u1d7f\\u1e00-\\u1eff",
    "\\u2c60-\\u2c7f\\ua722-\\ua787\\ua78b-\\ua7ff\\uab30-\\uab68\\u0370-\\u0373\\u0376\\u0377",
    "\\u037b-\\u037d\\u037f\\u0386\\u0388-\\u03ff\\u1f00-\\u1fff\\u05d0-\\u05ea\\u05ef-\\u05f2",
    "\\ufb1d-\\ufb4f\\u0620-\\u064a\\u066e\\u066f\\u0671-\\u06d3\\u06d5\\u06ee\\u06ef",
    "\\u06fa-\\u06fc\\u06ff\\u0750-\\u077f\\u0870-\\u088e\\u08a0-\\u08c9\\u0400-\\u0481",
    "\\u048a-\\u052f\\u1c80-\\u1c8f\\ua640-\\ua66e\\ua680-\\ua69d"
  ],
  "marks": [
    "\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7",
    "\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8",
    "\\u06ea-\\u06ed\\u0897-\\u089f\\u08ca-\\u08e1\\u08e3-\\u08ff\\u1ab0-\\u1aff\\u1dc0-\\u1dff",
    "\\u20d0-\\u20f0\\u2de0-\\u2dff\\ua66f-\\ua672\\ua674-\\ua67d\\ua69e\\ua69f\\ufb1e",
    "\\ufe00-\\ufe0f\\ufe20-\\ufe2f"
  ],
  "kept": "\\u0438\\u0306|\\u0456\\u0308|\\u0443\\u0306",
  "replaced": { "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ς": "σ" },
  "separators": [
    "\\u0009-\\u000d\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f",
    "\\u3000_\\-"
  ]
}
