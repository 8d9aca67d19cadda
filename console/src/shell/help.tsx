import { Route, Switch } from 'wouter';
import { Dialog } from '../ui/dialog';
import { SCREENS } from './places';

type KeyList = [keys: string, what: string][];

const EVERYWHERE: KeyList = [
  ['Ctrl K', 'Search: pages, names, trace and request ids, text'],
  ...SCREENS.map(({ keys, title }): KeyList[number] => [keys, title]),
  ['[', 'Collapse or expand the sidebar'],
  ['?', 'These shortcuts'],
];
const SEARCH: KeyList = [['/', 'Search']];
const LIST: KeyList = [
  ...SEARCH,
  ['↓  ↑ or j  k', 'Next and previous'],
  ['PgUp  PgDn  Home  End', 'A page up or down, the first, the last'],
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
const TRACES: KeyList = [
  ...LIST,
  ['f', 'Filter'],
  ['x', 'Choose or leave the trace'],
  ['a', 'Add the calls of traces to a sheet'],
];
const WATERFALL: KeyList = [
  ['↓  ↑', 'Next and previous span'],
  ['←  →', 'Collapse or go to the parent; expand'],
  ['e', 'Next failure'],
  ['n', 'The slowest span by its self time, then the next slowest'],
  ['/', 'Find; Enter goes to the next match'],
  ['f', 'Zoom to the span'],
  ['0', 'Whole trace'],
  ['v', 'Fit axis to visible spans'],
  ['+  -', 'Expand all, collapse all'],
  ['Esc', 'Close the panel'],
];

const SHEET: KeyList = [
  ['Arrows', 'Move. Ctrl moves to the edge, Shift selects a range.'],
  ['Tab  Shift Tab', 'The next cell and the previous one, also in the next row'],
  ['Esc  Tab', 'Leave the grid: Esc, then Tab or Shift Tab'],
  ['F6', 'Move to the open panel; Shift Tab goes back'],
  ['Home  End  PgUp  PgDn', 'The first and last column, a page up or down'],
  ['Enter', 'Edit. Enter saves and moves down, Esc discards the change, Ctrl Z restores it.'],
  ['Delete', 'Clear the cells'],
  ['Space', 'Cell details'],
  ['Ctrl C  Ctrl V', 'Copy and paste lines and tabs'],
  ['Ctrl Z', 'Undo the last edit'],
  ['Alt Shift ←  Alt Shift →', 'Move the column'],
  ['Alt Shift P', 'Pin the column to the left'],
  ['Alt Shift H', 'Hide the column'],
  ['Shift F10', 'The menu of the column'],
  ['Esc', 'Close the panel'],
];

const PLAYGROUND: KeyList = [
  ['Ctrl Enter', 'Run all variants with all cases'],
  ['Esc', 'Stop and keep the partial answer'],
  ['Alt 1', 'Go to variant A; Alt 2 to 4 to the others'],
];

const REVIEW: KeyList = [
  ['1', 'The first answer; 2 to 9 the others'],
  ['Tab', 'The next question, as do the arrow keys'],
  ['Enter', 'Save the answer and go on'],
  ['c', 'Write a comment; Ctrl Enter saves, Esc exits'],
  ['s', 'Skip the item'],
  ['u', 'Undo: back to the previous item, up to ten'],
];

const SCREEN_KEYS: [path: string, title: string, keys: KeyList][] = [
  ['/traces', 'This list', TRACES],
  ['/traces/:id', 'This trace', WATERFALL],
  ['/logs', 'This list', REQUESTS],
  ['/tables', 'This list', LIST],
  ['/tables/:table/:sheet', 'This sheet', SHEET],
  ['/prompts', 'This list', SEARCH],
  ['/workflows', 'This list', SEARCH],
  ['/workflows/:id', 'This workflow', [['Esc', 'Close the panel']]],
  ['/tools', 'This list', SEARCH],
  ['/skills', 'This list', SEARCH],
  ['/playground', 'The playground', PLAYGROUND],
  ['/evaluations', 'This list', SEARCH],
  ['/reviews/:id', 'This queue', REVIEW],
];

/** The keys of the screen behind it. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Shortcuts" className="help" onClose={onClose}>
      <h1>Shortcuts</h1>
      <Switch>
        {SCREEN_KEYS.map(([path, title, keys]) => (
          <Route key={path} path={path}>
            <KeyTable title={title} keys={keys} />
          </Route>
        ))}
      </Switch>
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
            <dt>{name.split(/( {2}| or )/).map((part, at) => (at % 2 ? part : <kbd key={part}>{part}</kbd>))}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
