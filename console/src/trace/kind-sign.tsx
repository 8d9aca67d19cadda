import { type Kind, KINDS } from './kinds';

/** The letter of a kind of spans, in its colour. */
export function KindSign({ kind }: { kind: Kind }) {
  return (
    <span className={`letter ${kind}`} title={KINDS[kind].name}>
      {KINDS[kind].letter}
    </span>
  );
}
