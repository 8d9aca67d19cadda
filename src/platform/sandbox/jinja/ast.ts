/** The parts of a parsed template. `line` is where a statement starts, for messages. */
export type Expression =
  | { kind: 'constant'; value: null | boolean | bigint | number | string }
  | { kind: 'name'; name: string }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'tuple'; items: Expression[] }
  | { kind: 'dict'; entries: [Expression, Expression][] }
  | { kind: 'attribute'; object: Expression; name: string }
  | { kind: 'item'; object: Expression; key: Expression }
  | { kind: 'slice'; object: Expression; bounds: [Expression | null, Expression | null, Expression | null] }
  | { kind: 'call'; callee: Expression; call: CallArguments }
  | { kind: 'filter'; operand: Expression; name: string; call: CallArguments }
  | { kind: 'test'; operand: Expression; name: string; call: CallArguments }
  | { kind: 'unary'; operator: 'not' | '-' | '+'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'logical'; operator: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'compare'; first: Expression; rest: [Comparison, Expression][] }
  | { kind: 'conditional'; test: Expression; value: Expression; otherwise: Expression | null };

export type BinaryOperator = '+' | '-' | '~' | '*' | '/' | '//' | '%' | '**';
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export interface CallArguments {
  positional: Expression[];
  keywords: [string, Expression][];
  /** `*list` and `**dict`. */
  spread: Expression | null;
  keywordSpread: Expression | null;
}

/** Targets of an assignment: a name, an attribute of a namespace, or a tuple of these. */
export type Target =
  | { kind: 'name'; name: string }
  | { kind: 'namespace'; name: string; attribute: string }
  | { kind: 'tuple'; items: Target[] };

export interface Parameter {
  name: string;
  fallback: Expression | null;
}

export type Statement =
  | { kind: 'text'; text: string }
  | { kind: 'output'; expression: Expression }
  | { kind: 'if'; branches: { test: Expression; body: Statement[] }[]; otherwise: Statement[] }
  | ForStatement
  | { kind: 'set'; target: Target; value: Expression }
  | { kind: 'setBlock'; target: Target; filters: Filter[]; body: Statement[] }
  | { kind: 'with'; bindings: [Target, Expression][]; body: Statement[] }
  | MacroStatement
  | { kind: 'callBlock'; call: Expression & { kind: 'call' }; caller: MacroStatement }
  | { kind: 'filterBlock'; filters: Filter[]; body: Statement[] }
  | { kind: 'scoped'; body: Statement[] };

export interface ForStatement {
  kind: 'for';
  target: Target;
  iterable: Expression;
  condition: Expression | null;
  recursive: boolean;
  body: Statement[];
  otherwise: Statement[];
}

export interface MacroStatement {
  kind: 'macro';
  name: string;
  parameters: Parameter[];
  body: Statement[];
}

export interface Filter {
  name: string;
  call: CallArguments;
}
