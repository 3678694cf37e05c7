import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A client in one file, with nothing but JDK 17 or later: fetches the player's own key, then posts a fish and a crab.
 *
 * <pre>FISH_USER=Alex FISH_PASSWORD=secret java FishClient.java</pre>
 *
 * Also read: FISH_URL (http://127.0.0.1:8787), FISH_GAMEMODE (earth), FISH_API_KEY (lifts the rate limit).
 * The password comes from the environment because every process of a machine can read an argument list.
 */
public final class FishClient {
    private static final int TRIES = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final SecureRandom random = new SecureRandom();
    private final String url;
    private final String user;
    private final String gamemode;
    private final String apiKey;
    private byte[] key;

    public FishClient(String url, String user, String gamemode, String apiKey) {
        this.url = url;
        this.user = user;
        this.gamemode = gamemode;
        this.apiKey = apiKey;
    }

    public static void main(String[] arguments) throws Exception {
        try {
            FishClient client = new FishClient(
                    setting("FISH_URL", "http://127.0.0.1:8787"),
                    setting("FISH_USER", ""),
                    setting("FISH_GAMEMODE", "earth"),
                    setting("FISH_API_KEY", ""));
            client.fetchKey(setting("FISH_PASSWORD", ""));
            System.out.println(client.postFish("Salmon", 3));
            System.out.println(client.postCrab());
        } catch (IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    /** Fetches the player's own key: needed once, before posting. */
    public void fetchKey(String password) throws IOException, InterruptedException {
        String credentials = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
        HttpResponse<String> answer =
                send(HttpRequest.newBuilder(URI.create(url + "/get/user/key")).header("Authorization", "Basic " + credentials));
        key = Base64.getDecoder().decode(field(answer.body(), "fernetKey"));
    }

    /** @param rarity 1 Bronze, 2 Silver, 3 Gold, 4 Diamond, 5 other, 6 Platinum, 7 Mythical */
    public String postFish(String name, int rarity) throws IOException, InterruptedException, GeneralSecurityException {
        return post("fish", "{\"fish\":" + quote(name) + ",\"rarity\":" + rarity + "}");
    }

    public String postCrab() throws IOException, InterruptedException, GeneralSecurityException {
        return post("crab", "{\"fish\":\"crab\"}");
    }

    private String post(String kind, String message) throws IOException, InterruptedException, GeneralSecurityException {
        // Encrypted once, before the first attempt: a repeated token is stored once, a new one again.
        String token = encrypt(message);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(url + "/post/" + kind + "?name=" + URLEncoder.encode(user, UTF_8)))
                .header("Content-Type", "application/octet-stream")
                .header("x-gamemode", gamemode)
                .POST(HttpRequest.BodyPublishers.ofString(token));
        if (!apiKey.isEmpty()) request.header("x-api-key", apiKey);
        HttpResponse<String> answer = send(request);
        return answer.statusCode() + " " + field(answer.body(), "message") + ", id " + field(answer.body(), "id");
    }

    /** Sends the same bytes again if no response arrives: the service may or may not have received them. */
    private HttpResponse<String> send(HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.timeout(TIMEOUT).build();
        for (int attempt = 1; ; attempt++) {
            try {
                HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
                if (answer.statusCode() < 300) return answer;
                // The error of a 429 says when to try again.
                if (answer.statusCode() < 500 || attempt == TRIES) {
                    throw new RefusedException(answer.statusCode() + " " + field(answer.body(), "error"));
                }
            } catch (RefusedException refused) {
                throw refused;
            } catch (IOException noAnswer) {
                if (attempt == TRIES) throw new IOException("No answer from " + url + ". Is it the right address?", noAnswer);
            }
            Thread.sleep(500L * attempt);
        }
    }

    /** Fernet (github.com/fernet/spec): the first half of the key signs, the second encrypts. */
    private String encrypt(String message) throws GeneralSecurityException {
        byte[] iv = new byte[16];
        random.nextBytes(iv);
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 16, 16, "AES"), new IvParameterSpec(iv));
        byte[] ciphertext = cipher.doFinal(message.getBytes(UTF_8));

        ByteBuffer token = ByteBuffer.allocate(1 + 8 + 16 + ciphertext.length + 32);
        token.put((byte) 0x80).putLong(Instant.now().getEpochSecond()).put(iv).put(ciphertext);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, 0, 16, "HmacSHA256"));
        mac.update(token.array(), 0, token.position());
        token.put(mac.doFinal());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
    }

    /** The JDK has no JSON parser. In a mod, use Gson. */
    private static String field(String json, String name) {
        Matcher match = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        return match.find() ? match.group(1) : "(no " + name + ")";
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String setting(String name, String fallback) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? fallback : value;
    }

    /** The service refused the request: sending it again would not help. */
    private static final class RefusedException extends IOException {
        RefusedException(String message) {
            super(message);
        }
    }
}
