export default { printWidth: 130, trailingComma: "none" };
