import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { isTyped, mayDiscard } from './unsaved';

interface Props {
  label: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A modal dialog. Escape and a click beside it close it; when a form in it has changes, the user is asked before.
 * `data-first` marks the element with the initial focus.
 */
export function Dialog({ label, className, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => {
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  useEffect(() => {
    const element = dialog.current!;
    show();
    // React keeps autoFocus to itself, and a dialog would take its first button.
    element.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => element.close();
  }, []);
  const leave = () => {
    if (!isTyped(dialog.current!)) return onClose();
    void mayDiscard().then((may) => may && onClose());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    // The browser's own handling would close the dialog at a second Escape, whatever the answer to the first.
    event.preventDefault();
    leave();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onClose={show}
      onMouseDown={(event) => event.target === dialog.current && isBeside(event) && leave()}
    >
      {children}
    </dialog>
  );
}

/** The end of a dialog that only shows something. */
export function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <div className="actions">
      <button className="button" data-first="" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

/** The backdrop belongs to the dialog, and so does the space around its content. */
function isBeside({ currentTarget, clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}
