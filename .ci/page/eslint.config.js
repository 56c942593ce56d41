// The rules of the page's JavaScript; Prettier formats it, and tests/test_structure.py checks the imports between folders.

import js from "@eslint/js";
import globals from "globals";
import inheritedKeys from "./inherited-keys.js";

// Names of the browser that are likelier to be a variable that was forgotten.
const FORGOTTEN = [
  ...["blur", "close", "closed", "confirm", "event", "external", "find", "focus", "frames", "length", "name", "open", "opener"],
  ...["origin", "parent", "print", "prompt", "screen", "scroll", "self", "status", "stop", "top"]
];

const RULES = {
  "array-callback-return": "error",
  eqeqeq: "error",
  "local/inherited-keys": "error",
  // Each longer function is an exception in eslint-suppressions.json, which has no new ones.
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
  { files: ["service/web/theme.js"], languageOptions: { sourceType: "script" } },
  { files: [".ci/page/*.js"], languageOptions: { globals: globals.node } }
];
