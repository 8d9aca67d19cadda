import type { ReactNode } from 'react';
import { Dialog } from '../ui/dialog';
import { CopyButton } from '../ui/parts';

interface Props {
  secret: string;
  what: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A secret that the server shows once. Only its button closes the dialog, never a click beside it. */
export function Secret({ secret, what, onClose, children }: Props) {
  return (
    <Dialog label={`The new ${what}`} className="form-dialog" onClose={() => undefined}>
      <h1>The new {what}</h1>
      <p>Save it in a safe place now. It is shown only once.</p>
      <pre className="box">{secret}</pre>
      {children}
      <div className="actions">
        <CopyButton text={secret} />
        <button className="button primary" onClick={onClose} data-first="">
          I have saved it
        </button>
      </div>
    </Dialog>
  );
}
