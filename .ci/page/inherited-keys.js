// A rule of ESLint for keys that are not written in the code, since a user may choose them: an object must not find what every
// object inherits, such as `constructor`.

const MESSAGE =
  "A key such as `constructor` is found as well: use a Map, Object.hasOwn, lookUp(), or a literal with `__proto__: null`.";
// What the service answers as a table by keys that users choose: names, labels, and ids, which can come with an import.
const ANSWERED_TABLES = /^(optionColors|values|columns|env|imported|skipped)$/;
const POSITIONS = /^(at|place|end)$/; // the names of variables that count

/** Return the value that a variable of the module is declared with, or the import of a variable; null for parameters. */
function findDeclaredValue(identifier, sourceCode) {
  for (let scope = sourceCode.getScope(identifier); scope; scope = scope.upper) {
    const [definition] = scope.set.get(identifier.name)?.defs ?? [];
    if (definition?.type === "ImportBinding") return definition.node;
    if (definition) return definition.node.init ?? null;
  }
  return null;
}

/** Return whether an object literal has no prototype. */
function isBare({ type, properties }) {
  return type === "ObjectExpression" && properties.some(({ key, value }) => key?.name === "__proto__" && value.raw === "null");
}

/** Return whether a value inherits from Object.prototype: a literal, Object.fromEntries(), or a constant of another module. */
function isOrdinary({ type, callee, local }) {
  if (type === "CallExpression") return callee.object?.name === "Object" && callee.property.name === "fromEntries";
  return type === "ObjectExpression" || /^[A-Z][A-Z_]+$/.test(local?.name ?? "");
}

/** Return whether an expression reads a table in an answer of the service, and not an entry of a list by its number. */
function isInAnswer({ object, property }) {
  const name = object.type === "MemberExpression" ? object.property.name : object.name;
  const isKey = property.type === "MemberExpression" || (property.type === "Identifier" && !POSITIONS.test(property.name));
  return isKey && ANSWERED_TABLES.test(name);
}

/** Return whether a condition around an expression asks with Object.hasOwn whether the object itself has the key. */
function isGuarded(node, object, key, sourceCode) {
  const guard = `Object.hasOwn(${sourceCode.getText(object)}, ${sourceCode.getText(key)})`;
  const conditions = sourceCode.getAncestors(node).map(({ test, left }) => test ?? left);
  return conditions.some((condition) => condition && sourceCode.getText(condition).includes(guard));
}

export default {
  meta: { type: "problem", messages: { inherited: MESSAGE }, schema: [] },
  create(context) {
    const { sourceCode } = context;
    const valueOf = (node) => (node.type === "Identifier" ? findDeclaredValue(node, sourceCode) : node);
    return {
      "MemberExpression[computed=true][property.type!='Literal']"(node) {
        const value = valueOf(node.object);
        const isSafe = (value && isBare(value)) || isGuarded(node, node.object, node.property, sourceCode);
        const isRisky = isInAnswer(node) || (value && isOrdinary(value));
        if (isRisky && !isSafe) context.report({ node, messageId: "inherited" });
      },
      "BinaryExpression[operator='in'][left.type!='Literal'][left.type!='PrivateIdentifier']"(node) {
        const value = valueOf(node.right);
        if (!value || !isBare(value)) context.report({ node, messageId: "inherited" });
      }
    };
  }
};
