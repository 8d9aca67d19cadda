import type { CallArguments, Expression, Filter } from './ast.js';

/** The expressions directly inside an expression, in the order of the text. */
export function childExpressions(node: Expression): Expression[] {
  return CHILDREN[node.kind](node as never);
}

type Children = { [Kind in Expression['kind']]: (node: Extract<Expression, { kind: Kind }>) => Expression[] };

const CHILDREN: Children = {
  constant: () => [],
  name: () => [],
  list: (node) => node.items,
  tuple: (node) => node.items,
  dict: (node) => node.entries.flat(),
  attribute: (node) => [node.object],
  item: (node) => [node.object, node.key],
  slice: (node) => [node.object, ...node.bounds.filter((bound) => bound !== null)],
  call: (node) => [node.callee, ...argumentExpressions(node.call)],
  filter: (node) => [node.operand, ...argumentExpressions(node.call)],
  test: (node) => [node.operand, ...argumentExpressions(node.call)],
  unary: (node) => [node.operand],
  binary: (node) => [node.left, node.right],
  logical: (node) => [node.left, node.right],
  compare: (node) => [node.first, ...node.rest.map(([, operand]) => operand)],
  conditional: (node) => [node.value, node.test, ...(node.otherwise ? [node.otherwise] : [])],
};

export function argumentExpressions(call: CallArguments): Expression[] {
  const spreads = [call.spread, call.keywordSpread].filter((spread) => spread !== null);
  return [...call.positional, ...call.keywords.map(([, value]) => value), ...spreads];
}

export function filterExpressions(filters: Filter[]): Expression[] {
  return filters.flatMap(({ call }) => argumentExpressions(call));
}

/** An expression and everything inside it, in the order of the text. A loop, so that long sums need no stack. */
export function* everyExpression(root: Expression): Generator<Expression> {
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node;
    pending.push(...childExpressions(node).reverse());
  }
}
