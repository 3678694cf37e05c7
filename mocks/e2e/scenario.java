import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plays the scenario file against a standalone mock, with nothing but JDK 17 or later.
 *
 * <pre>java scenario.java scenario.json http://127.0.0.1:8787</pre>
 */
final class ScenarioPlayer {
    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final List<String> wrong = new ArrayList<>();

    private ScenarioPlayer(String url) {
        this.url = url;
    }

    public static void main(String[] arguments) throws Exception {
        Map<?, ?> scenario = (Map<?, ?>) new Json(Files.readString(Path.of(arguments[0]))).value();
        List<?> steps = (List<?>) scenario.get("steps");
        ScenarioPlayer player = new ScenarioPlayer(arguments[1]);
        for (Object step : steps) player.take((Map<?, ?>) step);
        player.wrong.forEach(System.err::println);
        if (player.wrong.isEmpty()) System.out.println(steps.size() + " steps as expected");
        else System.exit(1);
    }

    private void take(Map<?, ?> step) throws Exception {
        if (step.get("advanceMs") instanceof Double milliseconds) {
            steer("clock", "{\"advanceMs\":" + milliseconds.longValue() + "}");
        }
        if (step.get("fail") instanceof Map<?, ?> order) steer("faults", Json.text(order));
        if (!(step.get("request") instanceof Map<?, ?> request)) return;
        long times = step.get("times") instanceof Double count ? count.longValue() : 1;
        for (long round = 0; round < times; round++) {
            String difference = difference(request, (Map<?, ?>) step.get("expect"));
            if (difference != null) wrong.add(step.get("say") + ": " + difference);
        }
    }

    private void steer(String endpoint, String body) throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create(url + "/__mock/" + endpoint)).POST(BodyPublishers.ofString(body)).build(),
                BodyHandlers.ofString());
        if (response.statusCode() >= 300) wrong.add(endpoint + ": " + response.statusCode() + " " + response.body());
    }

    private String difference(Map<?, ?> request, Map<?, ?> expected) throws InterruptedException {
        HttpResponse<String> response;
        try {
            response = http.send(build(request), BodyHandlers.ofString());
        } catch (IOException noResponse) {
            return "none".equals(expected.get("response")) ? null : "no response (" + noResponse.getMessage() + ")";
        }
        String seen = response.statusCode() + " " + response.body();
        if (!Double.valueOf(response.statusCode()).equals(expected.get("status"))) {
            return "expected " + expected.get("status") + ", was " + seen;
        }
        if (expected.get("headers") instanceof Map<?, ?> headers) {
            for (Map.Entry<?, ?> header : headers.entrySet()) {
                String actual = response.headers().firstValue((String) header.getKey()).orElse(null);
                if (!java.util.Objects.equals(actual, header.getValue())) {
                    return "expected " + header + ", was " + actual;
                }
            }
        }
        boolean holds = !expected.containsKey("json") || holds(new Json(response.body()).value(), expected.get("json"));
        return holds ? null : "expected " + expected.get("json") + ", was " + seen;
    }

    private HttpRequest build(Map<?, ?> request) {
        String body = (String) request.get("body");
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url + request.get("path")))
                .timeout(Duration.ofSeconds(10))
                .method((String) request.get("method"), body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (request.get("headers") instanceof Map<?, ?> headers) {
            headers.forEach((name, value) -> builder.header((String) name, (String) value));
        }
        return builder.build();
    }

    /** Whether a value holds all that is expected of it. Lists must be of the same length. */
    private static boolean holds(Object actual, Object expected) {
        if (expected instanceof Map<?, ?> fields) {
            return actual instanceof Map<?, ?> map
                    && fields.entrySet().stream().allMatch(field -> holds(map.get(field.getKey()), field.getValue()));
        }
        if (expected instanceof List<?> wanted) {
            if (!(actual instanceof List<?> list) || list.size() != wanted.size()) return false;
            for (int index = 0; index < wanted.size(); index++) {
                if (!holds(list.get(index), wanted.get(index))) return false;
            }
            return true;
        }
        return java.util.Objects.equals(actual, expected);
    }

    /** The JDK has no JSON. Reads maps, lists, strings, doubles, booleans and nulls; trusts what it reads. */
    private static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            char first = next();
            if (first == '{') return map();
            if (first == '[') return list();
            if (first == '"') return string();
            int start = at - 1;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> Double.valueOf(word);
            };
        }

        private Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            for (char sign = next(); sign != '}'; sign = next()) {
                if (sign == ',') continue;
                String name = string();
                next();
                map.put(name, value());
            }
            return map;
        }

        private List<Object> list() {
            List<Object> list = new ArrayList<>();
            for (char sign = next(); sign != ']'; sign = next()) {
                if (sign == ',') continue;
                at--;
                list.add(value());
            }
            return list;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            for (char sign = text.charAt(at++); sign != '"'; sign = text.charAt(at++)) {
                if (sign != '\\') {
                    string.append(sign);
                    continue;
                }
                char escaped = text.charAt(at++);
                if (escaped == 'u') {
                    string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                    at += 4;
                } else {
                    int index = "nrtbf".indexOf(escaped);
                    string.append(index < 0 ? escaped : "\n\r\t\b\f".charAt(index));
                }
            }
            return string.toString();
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at++);
        }

        /** JSON of what stands in a fault: maps, strings and whole numbers. */
        static String text(Object value) {
            if (value instanceof Map<?, ?> map) {
                List<String> fields = new ArrayList<>();
                map.forEach((name, field) -> fields.add(text(name) + ":" + text(field)));
                return "{" + String.join(",", fields) + "}";
            }
            return value instanceof Double number ? String.valueOf(number.longValue()) : "\"" + value + "\"";
        }
    }
}
