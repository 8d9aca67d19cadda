import { useState } from 'react';
import type { ColumnTypeBody } from '../api/schema.gen';

/** Groups of column types, in the order of the list. */
export const GROUPS = { ask: 'Ask', check: 'Check', compute: 'Compute', outside: 'Outside', people: 'People' };

interface Props {
  types: ColumnTypeBody[];
  chosen: string;
  onChoose: (type: string) => void;
}

/** Column types by group, with a search over their names and descriptions. */
export function ColumnList({ types, chosen, onChoose }: Props) {
  const [words, setWords] = useState('');
  const offered = types.filter(({ creatable }) => creatable);
  const found = offered.filter((type) => matches(type, words));
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const members = found.filter((type) => type.group === group).toSorted((a, b) => a.title.localeCompare(b.title));
    return { group, title, members };
  });
  return (
    <div className="column-list">
      <input
        type="search"
        className="field"
        aria-label="Search column types"
        placeholder={`Search ${offered.length} types`}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <div role="radiogroup" aria-label="Type">
        {groups
          .filter(({ members }) => members.length > 0)
          .map(({ group, title, members }) => (
            <div key={group} role="group" aria-label={title}>
              <h2 aria-hidden="true">{title}</h2>
              {members.map(({ type, title: name, description }) => (
                <label key={type} title={description}>
                  <input
                    type="radio"
                    name="column-type"
                    className="visually-hidden"
                    checked={type === chosen}
                    onChange={() => onChoose(type)}
                  />
                  <bdi className="ellipsis">{name}</bdi>
                </label>
              ))}
            </div>
          ))}
      </div>
      {found.length === 0 && <p className="quiet-text">No type matches.</p>}
    </div>
  );
}

function matches({ type, title, description, aliases }: ColumnTypeBody, words: string): boolean {
  const text = [type, title, description, ...aliases].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
