import { useSyncExternalStore } from 'react';
import { Dialog } from './dialog';
import { currentQuestion, watchQuestion } from './unsaved';

/** Asks before something that was typed is lost, wherever that is. */
export function Question() {
  const answer = useSyncExternalStore(watchQuestion, currentQuestion);
  if (!answer) return null;
  return (
    <Dialog label="Discard unsaved changes?" className="form-dialog" onClose={() => answer(false)}>
      <h1>Discard unsaved changes?</h1>
      <p>What you typed is not saved yet.</p>
      <div className="actions">
        <button className="button primary dangerous" onClick={() => answer(true)}>
          Discard
        </button>
        <button className="button" data-first="" onClick={() => answer(false)}>
          Keep editing
        </button>
      </div>
    </Dialog>
  );
}
