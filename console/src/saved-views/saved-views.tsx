import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SavedViewBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { Menu, type MenuItem } from '../ui/menu';
import { Refused } from '../ui/parts';
import { DeleteView, EditView, SaveView, SHARING } from './view-forms';
import { useSavedViews } from './use-saved-views';
import { isChanged, queryOf, type ScreenName, stateOf } from './view-state';

/** A screen whose states can be saved. */
export interface SavedScreen<S> {
  name: ScreenName;
  defaults: S;
}

interface Props<S> {
  screen: SavedScreen<S>;
  state: S;
  set: (change: Partial<S>) => void;
}

type State = Record<string, string> & { view: string };

/** The saved views of a screen: a menu under the name of the one that is shown. */
export function SavedViews<S extends { view: string }>({ screen, ...props }: Props<S>) {
  const defaults = screen.defaults as unknown as State;
  const state = props.state as unknown as State;
  const set = props.set as unknown as (change: Partial<State>) => void;
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<{ left: number; bottom: number } | null>(null);
  const [form, setForm] = useState<'save' | 'edit' | 'delete' | null>(null);
  const { data, isPending } = useSavedViews(at !== null || state.view !== '');
  const views = (data ?? []).filter((view) => view.screen === screen.name);
  const current = views.find(({ id }) => id === state.view);
  const hasChanged = current !== undefined && isChanged(state, defaults, current);
  const query = queryOf(state, defaults);
  const close = () => {
    setForm(null);
    button.current?.focus();
  };
  const actions = useActions({ current, hasChanged, setForm });
  const open = (view: SavedViewBody) => set(stateOf(view, defaults));
  return (
    <>
      <button
        ref={button}
        className="button"
        aria-haspopup="menu"
        onClick={() => setAt(button.current!.getBoundingClientRect())}
      >
        <span dir="auto" className="ellipsis">
          {current?.name ?? 'Views'}
        </span>
        {hasChanged && <span className="quiet-text">changed</span>}
      </button>
      {current && hasChanged && <SaveChanges view={current} query={query} />}
      {at && (
        <Menu
          label="Saved views"
          at={at}
          onClose={() => setAt(null)}
          items={[...itemsOf(views, { isPending, current, open }), ...actions]}
        />
      )}
      <Forms
        form={form}
        current={current}
        screen={screen.name}
        query={query}
        onClose={close}
        onOpen={(view) => (close(), open(view))}
        onDeleted={() => (close(), set({ view: '' }))}
      />
    </>
  );
}

interface FormsProps {
  form: 'save' | 'edit' | 'delete' | null;
  current: SavedViewBody | undefined;
  screen: ScreenName;
  query: Record<string, string>;
  onClose: () => void;
  onOpen: (view: SavedViewBody) => void;
  onDeleted: () => void;
}

/** The form for the chosen menu item. */
function Forms({ form, current, screen, query, onClose, onOpen, onDeleted }: FormsProps) {
  if (form === 'save') return <SaveView screen={screen} query={query} onClose={onClose} onSaved={onOpen} />;
  if (form === null || !current) return null;
  if (form === 'edit') return <EditView view={current} onClose={onClose} />;
  return <DeleteView view={current} onClose={onClose} onDeleted={onDeleted} />;
}

function itemsOf(
  views: SavedViewBody[],
  shown: { isPending: boolean; current: SavedViewBody | undefined; open: (view: SavedViewBody) => void },
): MenuItem[] {
  const { isPending, current, open } = shown;
  if (isPending) return [{ label: 'Loading views …', isDisabled: true, act: () => undefined }];
  if (views.length === 0) return [{ label: 'No saved views yet', isDisabled: true, act: () => undefined }];
  return views.map((view) => ({
    key: view.id,
    label: view.name,
    hint: view.is_shared ? undefined : 'private',
    isChecked: view.id === current?.id,
    act: () => open(view),
  }));
}

/** Whether the user may change a view: the owner and administrators may. */
function useMayChange(view: SavedViewBody | undefined): boolean {
  const isAdmin = useMay('ADMIN');
  return view !== undefined && (view.is_own || isAdmin);
}

function useActions(props: {
  current: SavedViewBody | undefined;
  hasChanged: boolean;
  setForm: (form: 'save' | 'edit' | 'delete') => void;
}): MenuItem[] {
  const { current, hasChanged, setForm } = props;
  const mayShare = useMay(SHARING);
  const { user } = useMe();
  const mayChange = useMayChange(current);
  const maySave = mayShare || user !== null;
  const save = {
    label: hasChanged ? 'Save as another view …' : 'Save view …',
    hint: maySave ? undefined : `needs ${SHARING}`,
    isDisabled: !maySave,
    act: () => setForm('save'),
  };
  if (!current) return [save];
  const hint = mayChange ? undefined : 'needs ADMIN';
  return [
    save,
    { label: 'Rename or share …', hint, isDisabled: !mayChange, act: () => setForm('edit') },
    { label: 'Delete view …', hint, isDisabled: !mayChange, act: () => setForm('delete') },
  ];
}

/** Saves the current state in the view. */
function SaveChanges({ view, query }: { view: SavedViewBody; query: Record<string, string> }) {
  const refresh = useRefresh('saved-views');
  const mayChange = useMayChange(view);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      api('PATCH /api/public/v2/saved-views/{saved_view_id}', { path: { saved_view_id: view.id }, body: { query } }),
    onSuccess: refresh,
  });
  if (!mayChange) return null;
  return (
    <>
      <button className="button" disabled={isPending} onClick={() => mutate()}>
        Save changes
      </button>
      <Refused error={error} />
    </>
  );
}
