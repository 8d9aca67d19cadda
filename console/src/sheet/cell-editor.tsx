import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

interface Props {
  place: { top: number; left: number; width: number };
  /** What was typed to begin with; null for what stands in the cell. */
  text: string | null;
  /** Gives the whole text of the cell. */
  read: () => Promise<string>;
  /** Gives false when it was refused. */
  onSave: (text: string, then: 'down' | 'right' | 'stay') => Promise<boolean>;
  onClose: () => void;
}

/** A field over a cell. What the server refuses stays in it. */
export function CellEditor({ place, text: begun, read, onSave, onClose }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(begun);
  const isSaving = useRef(false);
  const reading = useRef(read);
  useEffect(() => {
    if (begun !== null) return undefined;
    let isWanted = true;
    reading.current().then(
      (whole) => isWanted && setText(whole),
      () => isWanted && setText(''),
    );
    return () => {
      isWanted = false;
    };
  }, [begun]);
  const isReady = text !== null;
  useEffect(() => {
    const element = field.current;
    if (!isReady || !element) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [isReady]);
  if (text === null) return null;
  const save = async (then: 'down' | 'right' | 'stay') => {
    if (isSaving.current) return;
    isSaving.current = true;
    await onSave(text, then);
    isSaving.current = false;
  };
  const leave = () => {
    // The field loses the focus as it goes, and must not save then.
    isSaving.current = true;
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) void save('down');
    else if (event.key === 'Tab') void save('right');
    else return;
    event.preventDefault();
  };
  return (
    <textarea
      ref={field}
      className="cell-editor"
      aria-label="Value"
      rows={Math.min(8, text.split('\n').length)}
      style={{ transform: `translate(${place.left}px, ${place.top}px)`, width: Math.max(place.width, 160) }}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.stopPropagation()}
      onBlur={(event) => {
        // A click elsewhere saves, as in every spreadsheet; leaving the window does not.
        if (event.relatedTarget || document.hasFocus()) void save('stay');
      }}
    />
  );
}
