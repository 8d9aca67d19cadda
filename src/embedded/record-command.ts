import { DataSource } from 'typeorm';
import { auditInstallation, type Deed } from '../access/index.js';

/** Stands for the request in audit entries. */
export const COMMAND_LINE = { id: 'command-line' };

/** Records a command on the whole database in the audit trail of the installation. */
export async function recordCommand(url: string, deed: Deed): Promise<void> {
  const db = new DataSource({ type: 'postgres', url });
  await db.initialize();
  try {
    await auditInstallation(db.manager, COMMAND_LINE.id, [deed]);
  } finally {
    await db.destroy();
  }
}
