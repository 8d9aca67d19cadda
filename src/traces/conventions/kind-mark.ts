/** How a convention marks the kind of a span. */
export interface KindMark {
  key: string;
  /** The kinds that are calls of a language model. */
  llm: RegExp;
  /** Those that are none. Kinds that are neither say nothing. */
  isOther: (kind: string) => boolean;
}
