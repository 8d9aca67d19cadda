import { lazy, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { DATASETS } from '../folders/kinds';
import { EVERYTHING, openFolder } from '../folders/tree';
import { useFolderRefresh } from '../folders/use-folders';
import { WithFolders } from '../folders/with-folders';
import { GuardedButton } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { ListScreenHead } from '../ui/list-screen';
import { useUrlState } from '../ui/url-state';
import { WhenLoaded } from '../ui/when-loaded';

const FolderContents = lazy(() => import('../folders/folder-contents'));

const DEFAULTS = { q: '', folder: EVERYTHING };

/** The list of datasets, in their folders. */
export default function Datasets() {
  const [{ q, folder }, set] = useUrlState(DEFAULTS);
  const [isMaking, setMaking] = useState(false);
  const open = (next: string) => set({ folder: next, q: '' });
  return (
    <>
      <ListScreenHead
        title="Datasets"
        placeholder="Search by name"
        q={q}
        onSearch={(text) => set({ q: text }, { replace: true })}
      >
        <span className="spacer" />
        <GuardedButton permission={DATASETS.create} className="button primary" onClick={() => setMaking(true)}>
          New dataset
        </GuardedButton>
      </ListScreenHead>
      <WithFolders kind={DATASETS} folder={folder} q={q} onFolder={open}>
        <WhenLoaded>
          <FolderContents kind={DATASETS} folder={EVERYTHING} q={q} onFolder={open} />
        </WhenLoaded>
      </WithFolders>
      {isMaking && <NewDataset folder={openFolder(folder)} onClose={() => setMaking(false)} />}
    </>
  );
}

function NewDataset({ folder, onClose }: { folder: number | null; onClose: () => void }) {
  const refresh = useFolderRefresh();
  const [, navigate] = useLocation();
  const create = async (values: FormValues) => {
    const body = { name: values.optional('name'), folder_id: folder };
    const { dataset_group: group } = await api('POST /api/public/v2/dataset-groups', { body });
    await refresh();
    return DATASETS.pathOf(group.id);
  };
  return (
    <FormDialog
      title="New dataset"
      submit="Create the dataset"
      onSubmit={create}
      onDone={(path) => navigate(path)}
      onClose={onClose}
    >
      <Field label="Name" hint="Unique among datasets. If empty, a name is generated.">
        <input className="field" name="name" data-first="" maxLength={255} />
      </Field>
    </FormDialog>
  );
}
