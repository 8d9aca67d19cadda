import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Options, pairsOf } from './options';
import { useAfterPause } from './use-rows';

/** Pause in typing before a request. */
const PAUSE_MS = 120;

interface Props {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  field: RefObject<HTMLInputElement | null>;
}

/** A field whose text is also in the URL. What comes back from there never overwrites newer letters. */
export function SearchField({ label, placeholder, value, onChange, onKeyDown, field }: Props) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value === told.current) return;
    // Somebody else has changed it: Back, or a link.
    told.current = value;
    setText(value);
  }, [value]);
  useAfterPause(text, PAUSE_MS, (settled) => {
    if (settled === told.current) return;
    told.current = settled;
    onChange(settled);
  });
  return (
    <input
      ref={field}
      type="search"
      dir="auto"
      className="field search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={1000}
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/** A choice whose first value is the default. */
export function Choice(props: {
  label: string;
  options: Record<string, string>;
  value: string;
  onChange: (value: string) => void;
}) {
  const { label, options, value, onChange } = props;
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <Options pairs={pairsOf(options)} />
    </select>
  );
}
