import { useState } from 'react';
import { count } from '../ui/format';

/** Characters that a browser lays out without a pause. */
const AT_ONCE = 100_000;

/** A text as it is. The end of a very long one is shown on request. */
export function LongText({ text }: { text: string }) {
  const [shown, show] = useState(AT_ONCE);
  return (
    <>
      <pre dir="auto" className="text">
        {text.slice(0, shown)}
      </pre>
      {text.length > shown && (
        <button className="button" onClick={() => show(shown * 10)}>
          Show more of {count(text.length)} characters
        </button>
      )}
    </>
  );
}
