import { useEffect, useRef } from 'react';

/** Handlers by the name of their key: `/`, `Escape`, `ctrl+k`, `g t`. */
export type Keys = Record<string, (event: KeyboardEvent) => void>;

/** The second key of `g t` has to follow within this time. */
const SEQUENCE_MS = 1000;

/** In a text that has the focus these scroll, and the list beside it stays where it is. */
const SCROLLS = /^(?:Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)|Home|End)$/;
const SCROLLED = '.panel-body, .turn';

/** Keys that never type a letter. */
const ALWAYS = /^(?:ctrl\+|alt\+\d$)/;

/**
 * Registers the keys of a screen. They are inactive while somebody types, except for Escape, and behind a dialog.
 * `ctrl+…` and `alt+1` always work.
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first = { key: '', at: -Infinity };
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      if (!ALWAYS.test(name) && isTaken(name, event.target)) return;
      const isSecond = event.timeStamp - first.at < SEQUENCE_MS;
      const act = (isSecond && current.current[`${first.key} ${name}`]) || current.current[name];
      first = { key: name, at: event.timeStamp };
      // Enter on a focused button or link activates it.
      if (!act || (name === 'Enter' && isControl(event.target))) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

interface ListKeys {
  count: number;
  active: number;
  /** Number of rows of a page. */
  page: () => number;
  onMove: (row: number) => void;
  onOpen: () => void;
}

/** The keys of every list of rows. */
export function useListKeys({ count, active, page, onMove, onOpen }: ListKeys): void {
  const move = (row: number) => count > 0 && onMove(Math.max(0, Math.min(count - 1, row)));
  useKeys({
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    j: () => move(active + 1),
    k: () => move(active - 1),
    PageDown: () => move(active + page()),
    PageUp: () => move(active - page()),
    Home: () => move(0),
    End: () => move(count - 1),
    Enter: onOpen,
  });
}

function nameOf({ key, code, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  // On some keyboards Alt turns a digit into another letter.
  if (altKey) return `alt+${/^Digit(\d)$/.exec(code)?.[1] ?? key}`;
  return ctrlKey || metaKey ? `ctrl+${key.toLowerCase()}` : key;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary');
}

/** Dialogs have keys of their own, in text fields keys are letters, and texts are scrolled. */
function isTaken(name: string, target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return name !== 'Escape' && (isTyping(target) || isScrolling(name, target));
}

function isScrolling(name: string, target: EventTarget | null): boolean {
  return SCROLLS.test(name) && target instanceof Element && target.closest(SCROLLED) !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
