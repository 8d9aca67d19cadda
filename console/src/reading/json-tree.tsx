import { useState } from 'react';

interface Props {
  value: unknown;
  /** Name of the member, or its index. */
  name?: string;
  /** Levels that are open at first. */
  open?: number;
}

/** Number of entries that are added per click. */
const STEP = 100;

/** JSON as a tree: a list or an object takes one line until it is opened. Entries are made when they are shown. */
export function JsonTree({ value, name, open = 0 }: Props) {
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
  return <Branch name={name} value={value} open={open} />;
}

function Leaf({ value, name }: { value: unknown; name?: string | undefined }) {
  return (
    <div className="json-leaf">
      <Name name={name} />
      <span dir="auto" className={typeof value === 'string' ? undefined : 'json-word'}>
        {leafText(value)}
      </span>
    </div>
  );
}

function Branch({ value, name, open }: { value: object; name?: string | undefined; open: number }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, show] = useState(STEP);
  const entries = isOpen ? Object.entries(value) : [];
  return (
    <details className="json-branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span dir="auto">{isOpen ? sizeOf(value) : lineOf(value)}</span>
      </summary>
      {entries.slice(0, shown).map(([key, each]) => (
        <JsonTree key={key} name={key} value={each} open={open - 1} />
      ))}
      {entries.length > shown && (
        <button className="button" onClick={() => show(shown + STEP)}>
          Show more of {entries.length}
        </button>
      )}
    </details>
  );
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <bdi className="json-name" dir="auto">
      {name}:{' '}
    </bdi>
  );

const leafText = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));

const sizeOf = (value: object): string =>
  Array.isArray(value) ? `[ ${value.length} ]` : `{ ${Object.keys(value).length} }`;

/** Entries of a line, and characters of each text in it. */
const IN_A_LINE = 6;
const LONGEST_WORD = 40;

/** The first entries of a list or an object, one level deep. */
export function lineOf(value: object): string {
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const words = entries.slice(0, IN_A_LINE).map(([key, each]) => (isList ? wordOf(each) : `${key}: ${wordOf(each)}`));
  if (entries.length > IN_A_LINE) words.push('…');
  const line = words.join(', ');
  if (isList) return `[${line}]`;
  return line === '' ? '{}' : `{ ${line} }`;
}

function wordOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return sizeOf(value);
  const text = typeof value === 'string' && value.length > LONGEST_WORD ? `${value.slice(0, LONGEST_WORD)}…` : value;
  return String(JSON.stringify(text));
}
