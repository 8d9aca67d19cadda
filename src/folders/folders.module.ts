import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ExternalIdsModule } from '../external-ids/index.js';
import { DeletionService } from './entities/deletion.service.js';
import { FolderEntitiesController } from './entities/entities.controller.js';
import { ListingService } from './entities/listing.service.js';
import { MovingService } from './entities/moving.service.js';
import { FolderItems } from './shared/folder-items.js';
import { FoldersController } from './folders.controller.js';
import { FoldersService } from './folders.service.js';

@Module({
  imports: [
    DiscoveryModule,
    ExternalIdsModule.for({
      type: 'folder',
      table: 'folders',
      softDeleted: false,
      path: 'api/public/v2/folders/:folder_id',
      idType: 'integer',
      editedWith: /_EDIT$/,
      tag: 'Folders',
    }),
  ],
  controllers: [FolderEntitiesController, FoldersController],
  providers: [FolderItems, FoldersService, ListingService, MovingService, DeletionService],
})
export class FoldersModule {}
