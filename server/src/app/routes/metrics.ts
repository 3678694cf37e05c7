import type { Metrics } from '../metrics.ts'
import type { Handler } from '../services.ts'

/** `GET /metrics`: what a scraper of Prometheus reads. */
export function metricsHandler(metrics: Metrics): Handler {
  return async () => {
    const { body, contentType } = await metrics.render()
    const bytes = new TextEncoder().encode(body)
    return {
      status: 200,
      body: bytes,
      headers: {
        'content-type': contentType,
        'content-length': String(bytes.byteLength),
        'cache-control': 'no-store',
      },
    }
  }
}
