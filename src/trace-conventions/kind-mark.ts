/** How a convention marks the kind of a span. */
export interface KindMark {
  key: string;
  /** The kinds that are calls of a language model. */
  llm: RegExp;
  /** Kinds that are not calls. All other kinds are undecided. */
  isOther: (kind: string) => boolean;
}
