import { useState } from 'react';
import { count } from '../ui/format';
import { CopyButton } from '../ui/parts';
import { Blocks, type View } from './block';
import { type Said, textOfBlocks } from './blocks';

/** Longer messages are folded at first, except for the last one. */
const LONG = { characters: 1500, lines: 16 };
/** Instructions are the same in every turn, so they are folded sooner. */
const LONG_INSTRUCTIONS = { characters: 240, lines: 3 };
/** The beginning that a folded message shows. */
const FIRST = { characters: 240, lines: 3 };

const INSTRUCTIONS = new Set(['system', 'developer']);

interface Props {
  said: Said;
  isLast: boolean;
  view: View;
  /** All messages were folded or opened together; null when each is as it wants. */
  isFolded: boolean | null;
}

/** One message: its role, its content, and what can be done with it. */
export function Message(props: Props) {
  const { role, blocks } = props.said;
  const text = textOfBlocks(blocks);
  const folding = useFolding(text, props);
  const [ownView, setView] = useState<View | null>(null);
  const view = ownView ?? props.view;
  const other = view === 'text' ? 'markdown' : 'text';
  return (
    <article className="reader-message" data-role={role}>
      <h3>{role}</h3>
      <div className="message-body">
        {folding.isFolded ? <Beginning text={text} /> : <Blocks blocks={blocks} view={view} />}
        {folding.canFold && (
          <button className="button quiet" aria-expanded={!folding.isFolded} onClick={folding.toggle}>
            {folding.isFolded ? `Show all ${lengthOf(text)}` : 'Fold'}
          </button>
        )}
      </div>
      <div className="message-actions">
        {blocks.some(({ kind }) => kind === 'text') && (
          <button className="button quiet" onClick={() => setView(other)}>
            {other === 'text' ? 'Text' : 'Markdown'}
          </button>
        )}
        <CopyButton text={text} />
      </div>
    </article>
  );
}

const Beginning = ({ text }: { text: string }) => (
  <pre dir="auto" className="text folded">
    {text.split('\n', FIRST.lines).join('\n').slice(0, FIRST.characters)} …
  </pre>
);

/** Long messages are folded until they are opened, alone or all together. */
function useFolding(text: string, { said, isLast, isFolded: all }: Props) {
  const [own, setOwn] = useState<boolean | null>(null);
  const isLong = isBeyond(text, INSTRUCTIONS.has(said.role) ? LONG_INSTRUCTIONS : LONG);
  const isFolded = isBeyond(text, FIRST) && (own ?? all ?? (isLong && !isLast));
  return { isFolded, canFold: isFolded || isLong || own !== null, toggle: () => setOwn(!isFolded) };
}

const linesOf = (text: string): number => text.split('\n').length;

const isBeyond = (text: string, limit: typeof LONG): boolean =>
  text.length > limit.characters || linesOf(text) > limit.lines;

const lengthOf = (text: string): string =>
  linesOf(text) === 1 ? `${count(text.length)} characters` : `${count(linesOf(text))} lines`;
