import './reading.css';
import { type ReactNode, useState } from 'react';
import { useKeys } from '../ui/keys';
import { useStored } from '../ui/stored';
import type { View } from './block';
import type { Said } from './blocks';
import { Message } from './message';

/** Leads to the last message that is shown. */
export function showAnswer(): void {
  const all = document.querySelectorAll<HTMLElement>('.messages .reader-message');
  const answer = all[all.length - 1];
  answer?.scrollIntoView({ block: 'start' });
  answer?.closest<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
}

/**
 * Shows the messages of a request, a span, or a turn of a session. Content is text; markup is rendered only on request.
 */
export function Conversation({ said, children }: { said: readonly Said[]; children?: ReactNode }) {
  const [view, setView] = useStored<View>('reader', ['text', 'markdown']);
  const [folds, setFolds] = useState<{ isFolded: boolean | null; times: number }>({ isFolded: null, times: 0 });
  const foldAll = () => setFolds(({ isFolded, times }) => ({ isFolded: isFolded !== true, times: times + 1 }));
  useKeys({ z: foldAll });
  const other = view === 'text' ? 'markdown' : 'text';
  return (
    <section className="messages" aria-label="Messages">
      {said.length > 1 && (
        <div className="reader-tools">
          <button className="button quiet" onClick={() => setView(other)}>
            {other === 'text' ? 'Show as text' : 'Show as Markdown'}
          </button>
          <button className="button quiet" title="z" onClick={foldAll}>
            {folds.isFolded === true ? 'Open all' : 'Fold all'}
          </button>
          <button className="button quiet" onClick={showAnswer}>
            Go to the answer
          </button>
        </div>
      )}
      {said.map((each, index) => (
        // Two messages may be equal, so the index is part of the key. Folding all resets single messages.
        <Message
          key={`${index} ${folds.times}`}
          said={each}
          isLast={index === said.length - 1}
          view={view}
          isFolded={folds.isFolded}
        />
      ))}
      {children}
    </section>
  );
}
