import type { ReactNode } from 'react';
import { Icon } from './icons';
import { PanelEdge } from './panel-width';
import { Waiting } from './parts';

interface Props {
  /** The subject, such as "Request". The content is named "Details of the request". */
  label: string;
  title: string;
  /** Before the title. */
  sign?: ReactNode;
  /** After the title. */
  hint?: ReactNode;
  actions?: ReactNode;
  isWaiting?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A panel at the side of a screen. */
export function Panel({ label, title, sign, hint, actions, isWaiting = false, onClose, children }: Props) {
  return (
    <aside className="panel" aria-label={label}>
      <PanelEdge />
      <header>
        {sign}
        <h2 dir="auto" className="ellipsis" title={title}>
          {title}
        </h2>
        {hint}
        <span className="spacer" />
        {actions}
        <button className="button quiet" aria-label="Close the panel" title="Esc" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <Waiting on={isWaiting} />
      {/* Long texts are scrolled with the keyboard too. */}
      <div className="panel-body" tabIndex={0} role="group" aria-label={`Details of the ${label.toLowerCase()}`}>
        {children}
      </div>
    </aside>
  );
}
