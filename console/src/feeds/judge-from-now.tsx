import { lazy, useState } from 'react';
import { GuardedButton } from '../shell/permissions';
import { WhenLoaded } from '../ui/when-loaded';
import type { Taken } from './feed-draft';

const ChooseSheet = lazy(async () => ({ default: (await import('./choose-sheet')).ChooseSheet }));

/** Makes a feed of what a list shows. */
export function JudgeFromNow({ taken }: { taken: Taken }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GuardedButton permission="TABLE_EDIT" onClick={() => setOpen(true)}>
        Judge from now on
      </GuardedButton>
      {isOpen && (
        <WhenLoaded fallback={null}>
          <ChooseSheet taken={taken} onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
    </>
  );
}
