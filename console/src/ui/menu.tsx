import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';

export interface MenuItem {
  /** Where several items may have the same label. */
  key?: string;
  label: string;
  /** A word about the item, at its end. */
  hint?: string;
  /** Whether the item is the chosen one. Undefined for items that are no choice. */
  isChecked?: boolean;
  /** The keys that do the same. */
  keys?: string;
  isDisabled?: boolean;
  act: () => void;
}

interface Props {
  label: string;
  /** The edge it hangs from, in the window. */
  at: { left: number; bottom: number };
  items: MenuItem[];
  onClose: () => void;
}

const WIDTH_PX = 240;

/** A menu above the page. Escape and a click elsewhere close it, and its opener gets the focus back. */
export function Menu({ label, at, items, onClose }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current!.showPopover();
    buttonsOf(list.current!)[0]?.focus();
  }, []);
  return (
    <ul
      ref={list}
      role="menu"
      popover="auto"
      className="popup"
      aria-label={label}
      style={{ left: Math.min(at.left, window.innerWidth - WIDTH_PX - 8), top: at.bottom, width: WIDTH_PX }}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
      onKeyDown={walk}
    >
      {items.map(({ key, label: text, hint, isChecked, keys, isDisabled, act }) => (
        <li key={key ?? text} role="none">
          <button
            role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={isChecked}
            disabled={isDisabled}
            onClick={() => {
              onClose();
              act();
            }}
          >
            <span dir="auto" className="ellipsis">
              {isChecked ? `✓ ${text}` : text}
            </span>
            {hint && <span className="quiet-text">{hint}</span>}
            {keys && <kbd>{keys}</kbd>}
          </button>
        </li>
      ))}
    </ul>
  );
}

const buttonsOf = (list: HTMLElement) => [...list.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = buttonsOf(event.currentTarget);
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons.at((at + step) % buttons.length)?.focus();
}
