// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev A plain token to be spoilt below.
contract PlainToken {
    mapping(address owner => uint256) internal _balances;

    function mint(address to, uint256 amount) external {
        _balances[to] += amount;
    }

    function balanceOf(address owner) public view virtual returns (uint256) {
        return _balances[owner];
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    /// @dev Allows everything: allowances are not what these tests are about.
    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _move(from, to, amount);
        return true;
    }

    /// @dev Allows everything here too.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        bytes calldata
    ) external {
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        _balances[from] -= amount;
        _balances[to] += amount;
    }
}

/// @dev Keeps 1 % of every transfer.
contract FeeToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        _balances[from] -= amount;
        _balances[to] += amount - amount / 100;
    }
}

/// @dev Refuses at once, and cheaply, when it is given less gas than a push has to give.
contract FussyToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        require(gasleft() > 140_000, "too little gas");
        super._move(from, to, amount);
    }
}

/// @dev Says false instead of reverting.
contract FalseToken is PlainToken {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// @dev Moves what it is asked to and answers with whatever bytes it was given.
contract AnsweringToken is PlainToken {
    bytes private _answer;

    function setAnswer(bytes calldata answer) external {
        _answer = answer;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        _move(msg.sender, to, amount);
        answerAsTold();
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _move(from, to, amount);
        answerAsTold();
    }

    function answerAsTold() private view {
        bytes memory answer = _answer;
        assembly {
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @dev Honest, and needs nearly all the gas a sweep gives: to say a balance, and to move it.
contract HungryToken is PlainToken {
    function balanceOf(address owner) public view override returns (uint256) {
        uint256 start = gasleft();
        require(start > 98_500, "too little gas");
        while (start - gasleft() < 96_000) {}
        return _balances[owner];
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(gasleft() > 285_000, "too little gas");
        super._move(from, to, amount);
    }
}

/// @dev Says what it is told to say, and moves nothing.
contract PuppetToken {
    uint256 public said;

    function say(uint256 balance) external {
        said = balance;
    }

    function balanceOf(address) external view returns (uint256) {
        return said;
    }

    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }
}

/// @dev Calls the sender before it moves anything out of its account, as ERC-777 does.
contract HookToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        if (from.code.length > 0) {
            (bool done,) = from.call(abi.encodeWithSignature("tokensToSend()"));
            done;
        }
        super._move(from, to, amount);
    }
}

/// @dev Does one thing wrong at a time.
contract HostileToken is PlainToken {
    enum Mode {
        Honest,
        BurnOnTransfer,
        BombOnTransfer,
        BurnOnBalance,
        BombOnBalance,
        ShortBalance,
        LyingBalance,
        ReenterOnTransfer
    }

    Mode public mode;
    address public reenterAt;
    bytes public reenterWith;
    uint256 public reentered;

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function setReentry(address at_, bytes calldata data) external {
        mode = Mode.ReenterOnTransfer;
        reenterAt = at_;
        reenterWith = data;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        if (mode == Mode.BurnOnBalance) while (true) {}
        if (mode == Mode.BombOnBalance) {
            assembly {
                revert(0, 1000000)
            }
        }
        if (mode == Mode.ShortBalance) {
            assembly {
                mstore(0, not(0))
                return(0, 31)
            }
        }
        if (mode == Mode.LyingBalance) return type(uint256).max;
        return _balances[owner];
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (mode == Mode.BurnOnTransfer) while (true) {}
        if (mode == Mode.BombOnTransfer) {
            assembly {
                revert(0, 1000000)
            }
        }
        if (mode == Mode.ReenterOnTransfer) {
            (bool done,) = reenterAt.call(reenterWith);
            if (done) ++reentered;
        }
        super._move(from, to, amount);
    }
}
