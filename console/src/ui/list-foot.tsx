import type { ReactNode } from 'react';

/** What a list comes to, and a word when its next page could not be loaded. */
export function ListFoot(props: { children: ReactNode; failed: boolean; onMore: () => void }) {
  const { children, failed, onMore } = props;
  return (
    <div className="list-foot" role="status">
      {children}
      {failed && (
        <>
          <span className="bad">The next ones could not be loaded.</span>
          <button className="button" onClick={onMore}>
            Try again
          </button>
        </>
      )}
    </div>
  );
}
