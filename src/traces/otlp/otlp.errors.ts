/** The bytes are not the announced format: answered with 400. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/** Where the envelope of an export request is wrong. `loc` starts with "body"; list indices are numbers. */
export interface EnvelopeProblem {
  loc: (string | number)[];
  msg: string;
  type: 'list_type' | 'object_type';
}

/** Readable JSON whose outer structure is not an export request: answered with 422. */
export class InvalidEnvelope extends Error {
  override readonly name = 'InvalidEnvelope';

  constructor(readonly problems: EnvelopeProblem[]) {
    super(problems.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; '));
  }
}
