import ts from 'typescript';

/** The names under which classes and functions keep what opens connections of its own. */
const OUTSIDE = ['db', 'dataSource'];
const INSIDE = 'tx';

/**
 * Places where a function with a transaction `tx` uses another connection. Writes there are not rolled back with the
 * transaction, reads do not see its changes, and both may wait for its locks for ever.
 * @returns one line for each place
 */
export function usesOfOtherConnections(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, isInside) => {
    const inside = takes(node, INSIDE) || (isInside && !OUTSIDE.some((name) => takes(node, name)));
    if (inside && isOtherConnection(node)) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${file}:${line + 1}:${character + 1} ${node.getText()} inside a transaction: use ${INSIDE}`);
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, false);
  return found;
}

function takes(node, parameter) {
  return (
    ts.isFunctionLike(node) && node.parameters.some(({ name }) => ts.isIdentifier(name) && name.text === parameter)
  );
}

/** `this.db`, or a `db` that is used rather than named. */
function isOtherConnection(node) {
  if (ts.isPropertyAccessExpression(node)) {
    return node.expression.kind === ts.SyntaxKind.ThisKeyword && OUTSIDE.includes(node.name.text);
  }
  if (!ts.isIdentifier(node) || !OUTSIDE.includes(node.text)) return false;
  const { parent } = node;
  const isName = (ts.isPropertyAccessExpression(parent) && parent.name === node) || ts.isParameter(parent);
  return !isName && !ts.isPropertyAssignment(parent) && !ts.isPropertySignature(parent) && !ts.isTypeNode(parent);
}
