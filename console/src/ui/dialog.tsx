import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  label: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

/** A modal dialog. Escape and a click beside it close it; `data-first` says what has the focus at first. */
export function Dialog({ label, className, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    // React keeps autoFocus to itself, and a dialog would take its first button.
    element.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  );
}
