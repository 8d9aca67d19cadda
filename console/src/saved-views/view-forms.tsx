import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SavedViewBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { Field, FormDialog } from '../ui/form';
import type { ScreenName } from './view-state';

/** The permission to share a view. */
export const SHARING = 'METADATA_EDIT';

const LONGEST_NAME = 100;

interface SaveProps {
  screen: ScreenName;
  query: Record<string, string>;
  onSaved: (view: SavedViewBody) => void;
  onClose: () => void;
}

/** Saves the current state as a new view. */
export function SaveView({ screen, query, onSaved, onClose }: SaveProps) {
  const refresh = useRefresh('saved-views');
  const { user } = useMe();
  return (
    <FormDialog
      title="Save view"
      submit="Save view"
      onSubmit={async (values) => {
        const is_shared = user === null || values.all('shared').length > 0;
        const body = { screen, name: values.text('name'), query, is_shared };
        const { saved_view: view } = await api('POST /api/public/v2/saved-views', { body });
        await refresh();
        return view;
      }}
      onDone={onSaved}
      onClose={onClose}
    >
      <Name />
      <Sharing />
    </FormDialog>
  );
}

/** Renames a view, shares it or makes it private. */
export function EditView({ view, onClose }: { view: SavedViewBody; onClose: () => void }) {
  const refresh = useRefresh('saved-views');
  const { user } = useMe();
  const mayShare = useMay(SHARING);
  const maySetSharing = user !== null && view.is_own;
  return (
    <FormDialog
      title="Rename or share the view"
      submit="Save"
      onSubmit={async (values) => {
        const name = values.text('name');
        const body = { name, ...(maySetSharing && mayShare && { is_shared: values.all('shared').length > 0 }) };
        await api('PATCH /api/public/v2/saved-views/{saved_view_id}', { path: { saved_view_id: view.id }, body });
        await refresh();
      }}
      onClose={onClose}
    >
      <Name value={view.name} />
      {maySetSharing && <Sharing isShared={view.is_shared} />}
    </FormDialog>
  );
}

/** Asks before a view is deleted. */
export function DeleteView(props: { view: SavedViewBody; onDeleted: () => void; onClose: () => void }) {
  const { view, onDeleted, onClose } = props;
  const refresh = useRefresh('saved-views');
  return (
    <FormDialog
      title={`Delete the view “${view.name}”?`}
      submit="Delete view"
      isDangerous
      onSubmit={async () => {
        await api('DELETE /api/public/v2/saved-views/{saved_view_id}', { path: { saved_view_id: view.id } });
        await refresh();
      }}
      onDone={onDeleted}
      onClose={onClose}
    >
      <p>
        {view.is_shared ? 'It disappears for everybody in the workspace.' : 'Only you can see it.'} Requests, traces and
        sessions stay as they are.
      </p>
    </FormDialog>
  );
}

function Name({ value }: { value?: string }) {
  return (
    <Field label="Name">
      <input
        className="field"
        name="name"
        data-first=""
        required
        pattern=".*\S.*"
        maxLength={LONGEST_NAME}
        defaultValue={value}
      />
    </Field>
  );
}

/** Views of API keys are always shared. */
function Sharing({ isShared = false }: { isShared?: boolean }) {
  const mayShare = useMay(SHARING);
  const { user } = useMe();
  if (user === null) return <p className="quiet-text">Everybody in the workspace will see it.</p>;
  return (
    <label className="tick" title={mayShare ? undefined : `This needs the permission ${SHARING}.`}>
      <input type="checkbox" name="shared" defaultChecked={isShared} disabled={!mayShare} />
      Share with the workspace
    </label>
  );
}
