// The rules of the page's JavaScript; Prettier formats it, and tests/test_structure.py checks the imports between folders.

import js from "@eslint/js";
import globals from "globals";
import inheritedKeys from "./inherited-keys.js";

// Names of the browser that are likelier to be a variable that was forgotten.
const FORGOTTEN = [
  ...["blur", "close", "closed", "confirm", "event", "external", "find", "focus", "frames", "length", "name", "open", "opener"],
  ...["origin", "parent", "print", "prompt", "screen", "scroll", "self", "status", "stop", "top"]
];

// Texts are shown by the helpers of core/dom.js and core/marks.js, which limit runs of combining marks.
const UNLIMITED = [
  "AssignmentExpression[left.object.type='Identifier'][left.property.name=/^(textContent|innerText|alt|placeholder)$/]",
  "AssignmentExpression[left.object.name='document'][left.property.name='title']:not([right.callee.name='limitMarks'])",
  "CallExpression[callee.property.name='createTextNode']",
  "NewExpression[callee.name='Option']"
].map((selector) => ({ selector, message: "Show texts by h(), setText() or setAttribute() of core/dom.js." }));

const RULES = {
  "array-callback-return": "error",
  eqeqeq: "error",
  "local/inherited-keys": "error",
  "max-lines-per-function": ["error", 40],
  "no-constructor-return": "error",
  "no-duplicate-imports": "error",
  "no-implied-eval": "error",
  "no-restricted-globals": ["error", ...FORGOTTEN],
  "no-self-compare": "error",
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-unmodified-loop-condition": "error",
  "no-unreachable-loop": "error",
  "no-unused-vars": ["error", { ignoreRestSiblings: true }], // { id, ...others } leaves the id out
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-promise-reject-errors": "error"
};

export default [
  js.configs.recommended,
  {
    plugins: { local: { rules: { "inherited-keys": inheritedKeys } } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: RULES
  },
  { files: ["service/web/**/*.js"], languageOptions: { globals: globals.browser } },
  {
    files: ["service/web/**/*.js"],
    ignores: ["service/web/core/dom.js"],
    rules: { "no-restricted-syntax": ["error", ...UNLIMITED] }
  },
  { files: ["service/web/theme.js"], languageOptions: { sourceType: "script" } },
  { files: [".ci/page/*.js"], languageOptions: { globals: globals.node } }
];
