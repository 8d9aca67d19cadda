import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ApiError, sentenceOf } from '../api/client';
import { copyText } from './copy-text';
import { CredentialHelp } from './credential-help';
import { Icon } from './icons';

/** The line under a header that moves while data load. Old data stay. */
export function Waiting({ on }: { on: boolean }) {
  return <div className={on ? 'waiting on' : 'waiting'} aria-hidden="true" />;
}

/** Link from an item to its list. */
export function Back({ href, title }: { href: string; title: string }) {
  return (
    <Link href={href} className="button quiet" aria-label={title} title={title}>
      <Icon name="back" />
    </Link>
  );
}

interface NoteProps {
  title: string;
  /** The one action on offer. */
  action?: { label: string; act: () => void } | false;
  /** The note is all that a screen shows, so its title is the heading of the page. */
  isScreen?: boolean;
  children?: ReactNode;
}

/** Stands where data would be. */
export function Note({ title, action, isScreen = false, children }: NoteProps) {
  const Heading = isScreen ? 'h1' : 'h2';
  return (
    <section className="note">
      <Heading>{title}</Heading>
      {children}
      {action && (
        <div className="actions">
          <button type="button" className="button" onClick={action.act}>
            {action.label}
          </button>
        </div>
      )}
    </section>
  );
}

/** Statuses that stay the same after a retry. */
const FINAL = [403, 404, 422];

/** An error in the place of data: the server's message, and the id to quote. */
export function Failure({ error, onRetry, children }: { error: Error; onRetry?: () => void; children?: ReactNode }) {
  const known = error instanceof ApiError ? error : null;
  const isFinal = known !== null && FINAL.includes(known.status);
  return (
    <div role="alert">
      <Note title={titleOf(known)} action={onRetry && !isFinal && { label: 'Try again', act: onRetry }}>
        <p>{error.message}</p>
        {known?.status === 403 && <p>Ask an admin of the workspace for access.</p>}
        {known && (
          <p className="quiet-text">
            <code>{known.code}</code>
            {known.requestId && (
              <>
                {' · request id '}
                <code>{known.requestId}</code>
              </>
            )}
          </p>
        )}
        {children}
      </Note>
    </div>
  );
}

/** The error of an action, beside its button. */
export function Refused({ error }: { error: Error | null }) {
  return (
    error && (
      <p role="alert" className="bad breaks">
        {sentenceOf(error)} <CredentialHelp message={error.message} />
      </p>
    )
  );
}

const TITLES: Record<number, string> = {
  403: 'You do not have access to this',
  404: 'Not found',
  422: 'The server rejected the request',
  429: 'The server is busy',
  503: 'The server is busy',
};

const titleOf = (error: ApiError | null): string => TITLES[error?.status ?? 0] ?? 'Could not load';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [told, setTold] = useState<string | null>(null);
  const copy = () =>
    copyText(text).then(
      () => setTold('Copied'),
      (error: Error) => setTold(error.message),
    );
  return (
    <button type="button" className="button" onClick={() => void copy()} onBlur={() => setTold(null)}>
      {told ?? label}
    </button>
  );
}
