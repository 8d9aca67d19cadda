import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SkillFilesResponse } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { FormDialog } from '../ui/form';
import { DeleteDialog, DescribeDialog } from '../versions/manage';
import { EditSkill } from './write-skill';

const COLLECTION = `${WORKSPACE}/skill-collections/{skill_collection_id}` as const;

export type SkillAction = 'edit' | 'restore' | 'describe' | 'delete';

interface Props {
  open: SkillAction;
  shown: SkillFilesResponse;
  onPublished: () => void;
  onClose: () => void;
}

/** Dialogs of a collection. At most one is open. */
export function SkillDialog({ open, shown, onPublished, onClose }: Props) {
  const here = useHere();
  const { id, name, description } = shown.skill_collection;
  switch (open) {
    case 'edit':
      return <EditSkill newest={shown} onPublished={onPublished} onClose={onClose} />;
    case 'restore':
      return <Restore id={id} version={shown.version!.number} onPublished={onPublished} onClose={onClose} />;
    case 'describe':
      return (
        <DescribeDialog
          kind="skill_collection"
          title="Edit name and description"
          name={name}
          description={description}
          onSave={(body) =>
            api('PATCH /api/public/v2/skill-collections/{skill_collection}', {
              path: { skill_collection: id },
              // An empty text removes the description; null keeps it.
              body: { ...body, description: body.description ?? '' },
            })
          }
          onClose={onClose}
        />
      );
    case 'delete':
      return (
        <DeleteDialog
          kind="skill_collection"
          name={name}
          list="/skills"
          onDelete={() => api(`DELETE ${COLLECTION}`, { path: { ...here, skill_collection_id: id } })}
          onClose={onClose}
        >
          <p>Agents that ask for it get an error from now on.</p>
        </DeleteDialog>
      );
  }
}

interface RestoreProps {
  id: string;
  version: number;
  onPublished: () => void;
  onClose: () => void;
}

function Restore({ id, version, onPublished, onClose }: RestoreProps) {
  const here = useHere();
  const refresh = useRefresh('skills', 'skill', 'skill-versions');
  const restore = async () => {
    const path = { ...here, skill_collection_id: id, skill_version: version };
    await api(`POST ${COLLECTION}/versions/{skill_version}/restore`, { path });
    await refresh();
  };
  return (
    <FormDialog
      title={`Restore version ${version}?`}
      submit="Restore as a new version"
      onSubmit={restore}
      onDone={() => {
        onClose();
        onPublished();
      }}
      onClose={onClose}
    >
      <p>Its files become the newest version. The other versions and all labels stay as they are.</p>
    </FormDialog>
  );
}
