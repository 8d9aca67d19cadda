import { api } from '../api/client';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { counted } from '../ui/format';
import { Options } from '../ui/options';
import { type FolderNode, pathText, targetsOf } from './tree';
import { type Entity, FOLDERS, useFolderRefresh, useFolders } from './use-folders';

function NameField({ value }: { value?: string }) {
  return (
    <Field label="Name" hint="Unique among the folders at its level." isRequired>
      <input className="field" name="name" data-first="" required maxLength={255} defaultValue={value} />
    </Field>
  );
}

interface NewProps {
  /** Null at the top level. */
  parent: FolderNode | null;
  onMade: (id: number) => void;
  onClose: () => void;
}

export function NewFolder({ parent, onMade, onClose }: NewProps) {
  const refresh = useFolderRefresh();
  const create = async (values: FormValues) => {
    const body = { name: values.text('name'), parent_id: parent?.id ?? null };
    const { folder } = await api(`POST ${FOLDERS}`, { body });
    await refresh();
    return folder.id;
  };
  const done = (id: number) => {
    onClose();
    onMade(id);
  };
  return (
    <FormDialog title="New folder" submit="Create the folder" onSubmit={create} onDone={done} onClose={onClose}>
      {parent && <p>{`In ${pathText(parent)}.`}</p>}
      <NameField />
    </FormDialog>
  );
}

export function RenameFolder({ folder, onClose }: { folder: FolderNode; onClose: () => void }) {
  const refresh = useFolderRefresh();
  const rename = async (values: FormValues) => {
    await api(`PATCH ${FOLDERS}/{folder_id}`, { path: { folder_id: folder.id }, body: { name: values.text('name') } });
    await refresh();
  };
  return (
    <FormDialog title={`Rename “${folder.name}”`} submit="Rename the folder" onSubmit={rename} onClose={onClose}>
      <NameField value={folder.name} />
    </FormDialog>
  );
}

export type Chosen = Pick<Entity, 'id' | 'type' | 'name'>;

interface ChosenProps {
  chosen: Chosen[];
  onDone: () => void;
  onClose: () => void;
}

const refsOf = (chosen: Chosen[]) => chosen.map(({ id, type }) => ({ id, type }));
const nameOf = (chosen: Chosen[]): string =>
  chosen.length === 1 ? `“${chosen[0]!.name}”` : counted(chosen.length, 'item');
const foldersIn = (chosen: Chosen[]) => chosen.filter(({ type }) => type === 'FOLDER').map(({ id }) => Number(id));

/** Moves all chosen entities, or none of them. */
export function MoveChosen({ chosen, onDone, onClose }: ChosenProps) {
  const refresh = useFolderRefresh();
  const { tree } = useFolders();
  const move = async (values: FormValues) => {
    const body = { entities: refsOf(chosen), folder_id: values.number('folder') };
    await api(`POST ${FOLDERS}/entities`, { body });
    await refresh();
  };
  const done = () => {
    onClose();
    onDone();
  };
  const targets = targetsOf(tree, foldersIn(chosen));
  return (
    <FormDialog title={`Move ${nameOf(chosen)}`} submit="Move" onSubmit={move} onDone={done} onClose={onClose}>
      <Field label="Into the folder">
        <select className="field" name="folder" data-first="">
          <Options pairs={[['', 'Top level'], ...targets.map((node) => [String(node.id), pathText(node)] as const)]} />
        </select>
      </Field>
    </FormDialog>
  );
}

/** Deletes all chosen entities, or none of them. */
export function DeleteChosen({ chosen, onDone, onClose }: ChosenProps) {
  const refresh = useFolderRefresh();
  const hasFolder = foldersIn(chosen).length > 0;
  const remove = async (values: FormValues) => {
    const cascade = values.all('cascade').length > 0;
    await api(`DELETE ${FOLDERS}/entities`, { body: { entities: refsOf(chosen), cascade } });
    await refresh();
  };
  const done = () => {
    onClose();
    onDone();
  };
  return (
    <FormDialog
      title={`Delete ${nameOf(chosen)}?`}
      submit="Delete"
      isDangerous
      onSubmit={remove}
      onDone={done}
      onClose={onClose}
    >
      {hasFolder ? (
        <label className="tick">
          <input type="checkbox" name="cascade" />
          Delete what is in folders too: prompts, tables, datasets and all others
        </label>
      ) : (
        <p>This cannot be undone.</p>
      )}
    </FormDialog>
  );
}
