// This file imports only packages and `node:` modules, so that Node can run it from the sources.
import { parentPort, workerData } from 'node:worker_threads'
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'

const { svg, options } = workerData as { readonly svg: string; readonly options: ResvgRenderOptions }
const png = new Uint8Array(new Resvg(svg, options).render().asPng())
parentPort?.postMessage(png, [png.buffer])
