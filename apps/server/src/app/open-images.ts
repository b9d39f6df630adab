import { join } from 'node:path'
import { ImageEncoder } from '../images/image-encoder.ts'
import { ImageFiles } from '../images/image-files.ts'
import { ImageStore } from '../images/image-store.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

const maxFileBytes = 256 * 1024 * 1024

/** The pictures of merchants, kept in the data directory. Its timers are the machine's, whatever time the chain has. */
export async function openImages(
  { clock, log, images }: Runtime,
  { dataDir }: CompleteConfig,
): Promise<ImageStore> {
  const files = await ImageFiles.open({ log }, join(dataDir, 'images'), maxFileBytes)
  return new ImageStore({ outbound: images, clock, log, encoder: new ImageEncoder({ clock }), files })
}
