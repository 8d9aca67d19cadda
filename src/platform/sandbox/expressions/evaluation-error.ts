/** Why an expression of a user is refused or gave nothing, in words for that user. */
export class EvaluationError extends Error {}
