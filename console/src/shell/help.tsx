import { useRoute } from 'wouter';
import { Dialog } from '../ui/dialog';

type KeyList = [keys: string, what: string][];

const EVERYWHERE: KeyList = [
  ['Ctrl K', 'Go anywhere: a place, a trace or a request by its id, words to search'],
  ['g h', 'Today'],
  ['g t', 'Traces'],
  ['g r', 'Requests'],
  ['g p', 'Prompts'],
  ['g e', 'Evaluations'],
  ['g a', 'Jobs and events'],
  ['g x', 'Settings'],
  ['g s', 'Tables'],
  ['[', 'Narrow or widen the rail'],
  ['?', 'This list'],
];
const LIST: KeyList = [
  ['/', 'Search'],
  ['↑ ↓  or  j k', 'Next and previous'],
  ['PgUp PgDn Home End', 'A page, the first, the last'],
  ['Enter', 'Open'],
];
const REQUESTS: KeyList = [
  ...LIST,
  ['f', 'Filter'],
  ['x', 'Choose or leave the request'],
  ['a', 'Add requests to a sheet'],
  ['o', 'Open the trace of the request in the panel'],
  ['Esc', 'Close the panel'],
];
const WATERFALL: KeyList = [
  ['↑ ↓', 'Next and previous span'],
  ['← →', 'Fold or go to the parent, open'],
  ['e', 'Next failure'],
  ['/', 'Find'],
  ['f', 'Zoom to the span'],
  ['0', 'The whole time'],
  ['v', 'Time of the spans in view'],
  ['+ -', 'Open all, fold all'],
  ['Esc', 'Close the panel'],
];

const SHEET: KeyList = [
  ['Arrows  Tab', 'Move; with Ctrl to the edge, with Shift a range'],
  ['Home End PgUp PgDn', 'The first and last column, a page'],
  ['Enter  or typing', 'Edit; Enter saves and goes down, Esc leaves'],
  ['Delete', 'Empty the cells'],
  ['Space', 'Everything about the cell'],
  ['Ctrl C  Ctrl V', 'Copy and paste lines and tabs'],
  ['Ctrl Z', 'Take back the last edit'],
  ['Alt Shift ← →', 'Move the column'],
  ['Alt Shift P  H', 'Pin the column to the left, hide it'],
  ['Shift F10', 'The menu of the column'],
  ['Esc', 'Close the panel'],
];

/** The keys of the screen behind it. */
export function Help({ onClose }: { onClose: () => void }) {
  const [isTrace] = useRoute('/traces/:id');
  const [isRequests] = useRoute('/logs');
  const [isSheet] = useRoute('/tables/:table/:sheet');
  const list = isRequests ? REQUESTS : LIST;
  const [title, keys] = isTrace ? ['This trace', WATERFALL] : isSheet ? ['This sheet', SHEET] : ['This list', list];
  return (
    <Dialog label="Keys" className="help" onClose={onClose}>
      <h1>Keys</h1>
      <KeyTable title={title as string} keys={keys as KeyList} />
      <KeyTable title="Everywhere" keys={EVERYWHERE} />
      <button className="button" data-first="" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

function KeyTable({ title, keys }: { title: string; keys: KeyList }) {
  return (
    <section>
      <h2>{title}</h2>
      <dl>
        {keys.map(([name, what]) => (
          <div key={name}>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
