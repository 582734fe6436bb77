package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.OneArgFunction;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JsePlatform;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel.RedisError;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;

/** Runs scripts on a {@link RedisModel} as Redis does. Not thread-safe. */
public final class LuaEngine {

    private static final LuaString ERR = LuaValue.valueOf("err");

    private final Globals globals = JsePlatform.standardGlobals();
    private final Map<String, LuaValue> compiled = new HashMap<>();
    private RedisModel redis;

    public LuaEngine() {
        // Functions of Lua 5.1 that this engine lacks or implements differently.
        globals.set("unpack", globals.get("table").get("unpack"));
        globals.get("string").set("format", new WholeNumbers());
        LuaTable library = new LuaTable();
        library.set("call", new Call(true));
        library.set("pcall", new Call(false));
        library.set("error_reply", new OneArgFunction() {
            @Override
            public LuaValue call(LuaValue message) {
                return error(message.tojstring());
            }
        });
        globals.set("redis", library);
        LuaTable json = new LuaTable();
        json.set("decode", new OneArgFunction() {
            @Override
            public LuaValue call(LuaValue text) {
                return toLua(new JsonArray(text.checkjstring()));
            }
        });
        json.set("encode", new OneArgFunction() {
            @Override
            public LuaValue call(LuaValue value) {
                return LuaValue.valueOf(Json.encode(value.checkjstring()));
            }
        });
        globals.set("cjson", json);
    }

    /** {@code %d}, for which this engine uses scientific notation, and {@code %s}. */
    private static final class WholeNumbers extends VarArgFunction {

        @Override
        public Varargs invoke(Varargs args) {
            Object[] values = new Object[args.narg() - 1];
            Matcher marks = Pattern.compile("%(.)").matcher(args.checkjstring(1));
            for (int i = 0; marks.find(); i++) {
                values[i] = marks.group(1).equals("d") ? (Object) args.checklong(i + 2) : args.checkjstring(i + 2);
            }
            return LuaValue.valueOf(String.format(args.checkjstring(1), values));
        }
    }

    private final class Call extends VarArgFunction {

        private final boolean raises;

        private Call(boolean raises) {
            this.raises = raises;
        }

        @Override
        public Varargs invoke(Varargs args) {
            List<String> words = new ArrayList<>();
            for (int i = 1; i <= args.narg(); i++) {
                LuaValue word = args.arg(i);
                // As Redis does, with all digits.
                words.add(word.isnumber() && !(word instanceof LuaString) ? SortedSet.text(word.todouble())
                        : word.checkjstring());
            }
            try {
                return toLua(redis.execute(words));
            } catch (RedisError e) {
                if (raises) {
                    throw new LuaError(e);
                }
                return failed(e.getMessage());
            }
        }
    }

    // Not named error, which LuaValue has: that one throws.
    private static LuaTable failed(String message) {
        LuaTable table = new LuaTable();
        table.set(ERR, LuaValue.valueOf(message));
        return table;
    }

    private static LuaValue toLua(Object reply) {
        if (reply == null) {
            return LuaValue.FALSE;
        }
        if (reply instanceof Number number) {
            return LuaValue.valueOf(number.doubleValue());
        }
        if (reply instanceof Boolean flag) {
            return LuaValue.valueOf(flag);
        }
        if (reply instanceof Iterable<?> list) {
            return LuaValue
                    .listOf(StreamSupport.stream(list.spliterator(), false).map(LuaEngine::toLua).toArray(LuaValue[]::new));
        }
        return LuaValue.valueOf((String) reply);
    }

    /**
     * Runs a script.
     *
     * @param on the server, which the script may change
     * @param script its text
     * @param keys its KEYS
     * @param args its ARGV
     * @return its reply
     */
    public Object run(RedisModel on, String script, List<String> keys, List<String> args) {
        redis = on;
        globals.set("KEYS", texts(keys));
        globals.set("ARGV", texts(args));
        try {
            return fromLua(compiled.computeIfAbsent(script, text -> globals.load(text, "script")).call());
        } catch (LuaError e) {
            if (e.getCause() instanceof RedisError refused) {
                throw refused;
            }
            throw e;
        }
    }

    private static LuaTable texts(List<String> texts) {
        return LuaValue.listOf(texts.stream().map(LuaValue::valueOf).toArray(LuaValue[]::new));
    }

    private static Object fromLua(LuaValue value) {
        if (value.isstring() && !value.isnumber() || value instanceof LuaString) {
            return value.tojstring();
        }
        if (value.isnumber()) {
            return value.tolong();
        }
        if (value.istable()) {
            if (!value.get(ERR).isnil()) {
                throw new RedisError(value.get(ERR).tojstring());
            }
            List<Object> list = new ArrayList<>();
            for (int i = 1; !value.get(i).isnil(); i++) {
                list.add(fromLua(value.get(i)));
            }
            return list;
        }
        return value.toboolean() ? 1L : null;
    }
}
