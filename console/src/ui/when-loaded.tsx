import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Note, Waiting } from './parts';

interface Props {
  /** Shown while the code is being loaded. */
  fallback?: ReactNode;
  /** A failed part is tried again when one of them changes. */
  resetKeys?: unknown[];
  /** The part is a whole screen. */
  isScreen?: boolean;
  children: ReactNode;
}

/**
 * Shows a part whose code is loaded when it is needed. If loading fails, as after an update of the server, or drawing does, a note
 * takes the place of the part, and the rest of the page stays.
 */
export function WhenLoaded({ fallback = <Waiting on />, resetKeys, isScreen, children }: Props) {
  return (
    <ErrorBoundary fallbackRender={({ error }) => <Failed error={error} isScreen={isScreen} />} resetKeys={resetKeys}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function Failed({ error, isScreen }: { error: unknown; isScreen?: boolean }) {
  const action = { label: 'Load the page again', act: () => location.reload() };
  return (
    <div role="alert">
      <Note title="This part could not be shown" isScreen={isScreen} action={action}>
        <p>
          Load the page again to get its current version. Unsaved text on this page is lost then, so copy it first. If
          it fails again, the server may not be reachable.
        </p>
        <p className="quiet-text breaks">{String(error)}</p>
      </Note>
    </div>
  );
}
