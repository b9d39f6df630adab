// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

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

    /// @dev Ignores allowances, which these tests do not need.
    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _move(from, to, amount);
        return true;
    }

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

contract FeeToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        _balances[from] -= amount;
        _balances[to] += amount - amount / 100;
    }
}

/// @dev Reverts immediately and cheaply if it gets less gas than a push must provide.
contract FussyToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        require(gasleft() > 140_000, "too little gas");
        super._move(from, to, amount);
    }
}

contract FalseToken is PlainToken {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

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

/// @dev Honest, but uses nearly all the gas that a sweep provides for the balance query and the transfer.
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

/// @dev Calls the sender before it moves tokens out of the sender's account, like ERC-777.
contract HookToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        if (from.code.length > 0) {
            (bool done,) = from.call(abi.encodeWithSignature("tokensToSend()"));
            done;
        }
        super._move(from, to, amount);
    }
}

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
