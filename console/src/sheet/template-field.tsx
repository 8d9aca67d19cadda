import './template-field.css';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { Field } from '../ui/form';
import type { ControlledField } from '../ui/schema-form';
import { type Named, openBrace, placeholderFor } from './column-names';

interface Props extends ControlledField {
  columns: Named[];
  /** A column was inserted under a name, which makes this text. */
  onInsert: (text: string, name: string, column: Named) => void;
}

/** Columns of a list fit below a text. */
const MOST = 8;

/** A text into which `{` inserts a column. */
export function TemplateField({ label, hint, required, value, onChange, columns, onInsert }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  /** Place of the caret after a column was inserted. */
  const caret = useRef<number | null>(null);
  const text = typeof value === 'string' ? value : '';
  const list = useOffered(text, columns, (column, { from, cursor }) => {
    const name = placeholderFor(column.title);
    const before = `${text.slice(0, from)}{${name}}`;
    caret.current = before.length;
    onInsert(before + text.slice(cursor), name, column);
  });
  // With the text, before the next key is typed.
  useLayoutEffect(() => {
    if (caret.current !== null) area.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  return (
    <Field label={label} hint={hint} isRequired={required}>
      {(tied) => (
        <div className="template-field">
          <textarea
            {...tied}
            ref={area}
            className="field"
            rows={4}
            required={required}
            aria-haspopup="listbox"
            aria-controls={`${id}-columns`}
            aria-autocomplete="list"
            aria-activedescendant={list.chosen && `${id}-${list.chosen.id}`}
            value={text}
            onChange={({ target }) => {
              onChange(target.value);
              list.look(target.selectionStart);
            }}
            onKeyDown={list.onKeyDown}
            onBlur={() => list.look(null)}
          />
          <Offered id={id} {...list} />
          <p className="quiet-text">
            Type <code>{'{'}</code> to insert a column.
          </p>
        </div>
      )}
    </Field>
  );
}

interface OfferedColumns {
  offered: Named[];
  chosen: Named | undefined;
  insert: (column: Named) => void;
}

function Offered({ id, offered, chosen, insert }: OfferedColumns & { id: string }) {
  return (
    <ul id={`${id}-columns`} role="listbox" aria-label="Columns" hidden={offered.length === 0}>
      {offered.map((column) => (
        <li
          key={column.id}
          id={`${id}-${column.id}`}
          role="option"
          aria-selected={column === chosen}
          // The text keeps the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            insert(column);
          }}
        >
          <bdi>{column.title}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The columns that an open brace before the cursor may mean, and the keys that choose one. */
function useOffered(
  text: string,
  columns: Named[],
  onChoose: (column: Named, place: { from: number; cursor: number }) => void,
): OfferedColumns & { look: (cursor: number | null) => void; onKeyDown: (event: KeyboardEvent) => void } {
  const [cursor, setCursor] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const brace = cursor === null ? null : openBrace(text, cursor);
  const wanted = brace?.typed.toLowerCase() ?? '';
  const offered = brace ? columns.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MOST) : [];
  const chosen = offered[Math.min(at, offered.length - 1)];
  const look = (next: number | null) => {
    setCursor(next);
    setAt(0);
  };
  const insert = (column: Named) => {
    onChoose(column, { from: brace!.from, cursor: cursor! });
    look(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!chosen || event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((now) => (now + step + offered.length) % offered.length);
    else if (event.key === 'Enter' || event.key === 'Tab') insert(chosen);
    else if (event.key === 'Escape') look(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { offered, chosen, insert, look, onKeyDown };
}
